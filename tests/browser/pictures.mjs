// node pictures.mjs PROGRAM FOLDER [--size WxH] [--seconds S] [--sheets] [--start] [--plain] [--page BUILT] [--thumbnails] [SCENE]...: a picture of every built-in scene in the real
// viewer, for looking at. --seconds: simulated time before the picture (2); --start adds one of the beginning; --sheets also puts
// six pictures on one page; --plain leaves shadows out, which is ten times faster without a graphics card;
// --page takes the page from a folder that src/viewer/web/build.mjs has made, not from the program;
// --thumbnails makes FOLDER/scenes.webp, the small pictures of the list of scenes, which belong into src/viewer/web/ui; names of scenes draw only those anew.
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { COLUMNS, SCENES } from '../../src/viewer/web/ui/catalogue.js';
import { launchBrowser, startProgram } from './program.mjs';

const [program, folder, ...rest] = process.argv.slice(2);
const take = (name, usual) => (rest.includes(name) ? rest.splice(rest.indexOf(name), 2)[1] : usual);
const flag = (name) => rest.includes(name) && Boolean(rest.splice(rest.indexOf(name), 1));
const thumbnails = flag('--thumbnails');
const [width, height] = take('--size', thumbnails ? '416x260' : '1400x900').split('x').map(Number), seconds = Number(take('--seconds', '2'));
const CELL = { width: 208, height: 130 };  // px of a thumbnail
const sheets = flag('--sheets'), start = flag('--start'), plain = flag('--plain'), built = take('--page', '');

async function picture(page, scene) {
  const ask = (command, args) => page.evaluate(([c, a]) => window.rigor.connection.ask(c, a), [command, args]);
  const drawn = async (step) => {
    await page.waitForFunction(([name, at]) => window.rigor.model.scene.name === name && window.rigor.shown.step === at && !window.rigor.fresh, [scene, step]);
    const before = await page.evaluate(() => (window.rigor.stage.invalidate(), window.rigor.rendered));
    await page.waitForFunction((n) => window.rigor.rendered > n, before);
  };
  const save = (name) => thumbnails ? keepThumbnail(page, scene) : page.screenshot({ path: join(folder, `${name}.png`) });
  await page.evaluate(() => { window.rigor.shown = {}; });
  await ask('open', { scene });
  await drawn(0);
  if (start) await save(`${scene}-start`);
  const count = Math.round(seconds / (await page.evaluate(() => window.rigor.model.state.dt)));
  const leaps = (await page.evaluate(() => window.rigor.trailsOn)) ? 16 : 1;  // a trail needs points
  for (let i = 1, done = 0; i <= leaps; ++i) {
    const next = Math.round((count * i) / leaps);
    await ask('step', { count: next - done });
    await page.waitForFunction((step) => window.rigor.shown.step === step, (done = next), { polling: 30 });
  }
  await drawn(count);
  await save(scene);
}

/// Only the scene, without panels, into its place of one large picture.
async function prepareThumbnails(page) {
  const old = rest.length ? readFileSync(new URL('../../src/viewer/web/ui/scenes.webp', import.meta.url)).toString('base64') : '';
  await page.evaluate(async ({ width, height, columns, rows, before }) => {
    const { rigor } = window;
    document.getElementById('ui').style.visibility = 'hidden';
    rigor.layout = () => rigor.stage.setInset({ right: 0, top: 0, bottom: 0 });
    rigor.layout();
    rigor.setTheme('light');
    window.sprite = Object.assign(document.createElement('canvas'), { width: width * columns, height: height * rows });
    if (!before) return;
    const picture = new Image();
    picture.src = `data:image/webp;base64,${before}`;
    await picture.decode();
    window.sprite.getContext('2d').drawImage(picture, 0, 0);
  }, { ...CELL, columns: COLUMNS, rows: Math.ceil(Object.keys(SCENES).length / COLUMNS), before: old });
}
async function keepThumbnail(page, scene) {
  await page.evaluate(({ width, height, columns, at }) => {
    window.sprite.getContext('2d').drawImage(window.rigor.stage.canvas, (at % columns) * width, Math.floor(at / columns) * height, width, height);
  }, { ...CELL, columns: COLUMNS, at: Object.keys(SCENES).indexOf(scene) });
}
async function saveThumbnails(page) {
  const data = await page.evaluate(() => window.sprite.toDataURL('image/webp', 0.6));
  writeFileSync(join(folder, 'scenes.webp'), Buffer.from(data.split(',')[1], 'base64'));
}

async function sheet(page, files, number) {
  const cells = files.map((file) => `<figure><img src="data:image/png;base64,${readFileSync(join(folder, file)).toString('base64')}"><figcaption>${file}</figcaption></figure>`);
  await page.setViewportSize({ width: 1500, height: 1040 });
  await page.setContent(`<style>body{margin:0;display:grid;grid-template-columns:1fr 1fr;gap:2px;font:13px sans-serif}figure{margin:0;height:345px}img{height:325px;display:block}</style>${cells.join('')}`);
  await page.screenshot({ path: join(folder, `sheet-${number}.png`) });
}

mkdirSync(folder, { recursive: true });
const browser = await launchBrowser(), server = await startProgram(program, 'pendulum');
const page = await (await browser.newContext({ viewport: { width, height } })).newPage();
page.setDefaultTimeout(300000);
if (built) for (const name of ['app.js', 'app.css']) await page.route(`**/${name}`, (route) => route.fulfill({ path: join(built, name) }));
await page.goto(plain ? `${server.url}?plain` : server.url, { waitUntil: 'commit' });
await page.waitForFunction(() => window.rigor?.shown && window.rigor.model.hello);
if (thumbnails) await prepareThumbnails(page);
const names = rest.length ? rest : thumbnails ? Object.keys(SCENES) : await page.evaluate(() => window.rigor.model.hello.scenes.map((s) => s.name));
for (const name of names) {
  const began = Date.now();
  await picture(page, name);
  console.log(`${name} (${Date.now() - began} ms)`);
}
if (thumbnails) await saveThumbnails(page);
if (sheets) {
  const files = readdirSync(folder).filter((f) => f.endsWith('.png') && !f.startsWith('sheet')).sort();
  for (let i = 0; i < files.length; i += 6) await sheet(page, files.slice(i, i + 6), i / 6 + 1);
}
await browser.close();
await server.stop();

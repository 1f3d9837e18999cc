// node run.mjs PROGRAM [--all] [--page=FOLDER] [FILTER]: the viewer in Chromium, headless, with software graphics; --page takes the page from a folder that
// src/viewer/web/build.mjs has made, not from the program. Tests wait for frames and
// answers, never for time: a slow machine only makes them slow.
import { join } from 'node:path';
import { hasBrowser, launchBrowser, startProgram as start } from './program.mjs';
import * as cases from './cases.mjs';
import * as buildCases from './build_cases.mjs';
import * as longCases from './long_cases.mjs';
import * as figureCases from './figure_cases.mjs';
import * as jointCases from './joint_cases.mjs';
import * as keepCases from './keep_cases.mjs';
import * as reloadCases from './reload_cases.mjs';
import * as soundCases from './sound_cases.mjs';
import * as tutorialCases from './tutorial_cases.mjs';
import * as viewCases from './view_cases.mjs';
import * as editCases from './edit_cases.mjs';

const [program, ...options] = process.argv.slice(2);
const all = options.includes('--all'), filter = options.find((o) => !o.startsWith('--')) ?? '';
const built = options.find((o) => o.startsWith('--page='))?.slice(7);
const PATIENCE = 1000 * Number(process.env.RIGOR_BROWSER_SECONDS ?? 120);  // ms for one test; a machine that others use may need more

const startProgram = (...what) => start(program, ...what);

/// A page of a fresh session, with what the tests need to drive it.
async function openPage(browser, url, hash = '') {
  const context = await browser.newContext({ viewport: { width: 760, height: 480 } });
  const page = await context.newPage();
  if (built) for (const name of ['app.js', 'app.css']) await page.route(`**/${name}`, (route) => route.fulfill({ path: join(built, name) }));
  page.setDefaultTimeout(PATIENCE);
  const errors = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(`${url}?plain${hash}`, { waitUntil: 'commit', timeout: PATIENCE });
  await page.waitForFunction(() => window.rigor?.shown && window.rigor.model.state);
  return {
    page, errors,
    shown: () => page.evaluate(() => window.rigor.shown),
    ask: (command, args = {}) => page.evaluate(([c, a]) => window.rigor.connection.ask(c, a), [command, args]),
    /// Waits until a frame with these properties has been drawn.
    until: (condition, argument) => page.waitForFunction(condition, argument),
    close: () => context.close(),
  };
}

function timed(promise, name) {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error(`${name} took too long`)), PATIENCE)));
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

if (!hasBrowser) {
  console.log('browser: Chromium is missing, nothing was tested');
  process.exit(0);
}
const browser = await launchBrowser();
const scene = new URL('./stack.json', import.meta.url).pathname;
const server = await startProgram(scene);
let passed = 0, failed = 0;
for (const [name, test] of Object.entries({ ...cases, ...editCases, ...(all ? { ...tutorialCases, ...buildCases, ...soundCases, ...viewCases, ...longCases, ...figureCases, ...jointCases, ...keepCases, ...reloadCases } : {}) })) {
  if (!name.includes(filter)) continue;
  const began = Date.now();
  let view;
  try {
    view = await timed(openPage(browser, server.url), 'opening the page');
    await timed(test(view, { browser, url: server.url, openPage: (hash) => openPage(browser, server.url, hash), startProgram, scene, program }), name);
    if (view.errors.length) throw new Error(`errors on the page: ${view.errors.join('; ')}`);
    ++passed;
    console.log(`ok      ${name} (${Date.now() - began} ms)`);
  } catch (error) {
    ++failed;
    console.log(`FAILED  ${name}: ${error.message}`);
  }
  await view?.close().catch(() => {});
}
await browser.close();
const code = await server.stop();
if (code !== 0) {
  ++failed;
  console.log(`FAILED  the program ended with ${code}`);
}
console.log(`browser: ${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);

// node wire_load.mjs PROGRAM [BODIES] [SECONDS]: what 60 pictures a second of a moving scene cost the program. It prints the share of a
// core that the program used while pictures were sent, and while the same scene ran without anybody asking for pictures.
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync, mkdtempSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [program, bodies = '2000', seconds = '10'] = process.argv.slice(2);
const side = Math.ceil(Math.cbrt(Number(bodies)));
const scene = join(mkdtempSync(join(tmpdir(), 'rigor-')), 'cloud.json');
writeFileSync(scene, JSON.stringify({ rigor: 1, name: 'cloud', world: { gravity: [0, 0, 0], ground: false, generate: [
  { cloud: { count: Number(bodies), size: [side, side, side], bodies: [{ shape: { box: [0.5, 0.3, 0.4] }, angular_velocity: [1, 2, 0.5] }] } }] },
  method: { preset: 'free-flight', integrator: 'semi-implicit-euler' } }));

const child = spawn(program, ['view', scene, '--no-open'], { stdio: ['ignore', 'pipe', 'inherit'] });
const url = await new Promise((resolve) => child.stdout.on('data', (d) => /http:\S+/.test(d) && resolve(String(d).match(/http:\S+/)[0])));
const { host, port } = new URL(url);
const cpu = () => {  // seconds of user and system time, in ticks of 10 ms
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
};
const sleep = (s) => new Promise((r) => setTimeout(r, 1000 * s));

const socket = connect(Number(port), '127.0.0.1');
socket.write(`GET /ws HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n');
const send = (text) => socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]));
let buffered = Buffer.alloc(0), frames = 0, bytes = 0, open = false;
socket.on('data', (data) => {
  buffered = Buffer.concat([buffered, data]);
  if (!open) {
    const end = buffered.indexOf('\r\n\r\n');
    if (end < 0) return;
    open = true;
    buffered = buffered.subarray(end + 4);
  }
  for (;;) {
    if (buffered.length < 10) return;
    let size = buffered[1] & 127, header = 2;
    if (size === 126) (size = buffered.readUInt16BE(2)), (header = 4);
    else if (size === 127) (size = Number(buffered.readBigUInt64BE(2))), (header = 10);
    if (buffered.length < header + size) return;
    if ((buffered[0] & 15) === 2) ++frames, (bytes += size);
    buffered = buffered.subarray(header + size);
  }
});

await sleep(1);
send('{"do":"play"}');
const measure = async (ask) => {
  frames = bytes = 0;
  const timer = ask && setInterval(() => send('{"do":"frame"}'), 1000 / 60);
  const before = cpu(), began = performance.now();
  await sleep(Number(seconds));
  const took = (performance.now() - began) / 1000;
  clearInterval(timer);
  return { share: (cpu() - before) / took, rate: frames / took, megabytes: bytes / took / 1e6 };
};
const alone = await measure(false), watched = await measure(true);
console.log(`${bodies} bodies: ${(100 * alone.share).toFixed(1)} % of a core without pictures, ${(100 * watched.share).toFixed(1)} % with ` +
  `${watched.rate.toFixed(1)} pictures/s (${watched.megabytes.toFixed(2)} MB/s): pictures cost ${(100 * (watched.share - alone.share)).toFixed(1)} %`);
socket.destroy();
child.kill('SIGINT');

// The program and the browser that tests and pictures drive.
import { chromium } from 'playwright-core';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';

export function startProgram(program, scene, ...options) {
  const child = spawn(program, ['view', scene, '--no-open', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (data) => {
      text += data;
      const found = text.match(/http:\S+/);
      if (found) resolve({ url: found[0], child, stop: () => stop(child) });
    });
    child.on('exit', (code) => reject(new Error(`the program ended with ${code}`)));
  });
}

function stop(child) {
  return new Promise((resolve) => {
    if (child.exitCode !== null) return resolve(child.exitCode);
    child.on('exit', (code) => resolve(code));
    child.kill('SIGINT');
  });
}

const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
export const hasBrowser = Boolean(executablePath);

/// Headless, with software graphics.
export function launchBrowser() {
  return chromium.launch({ executablePath, args: ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--no-sandbox', '--disable-dev-shm-usage'] });
}

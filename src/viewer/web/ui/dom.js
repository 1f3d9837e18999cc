// Making elements: h('button.primary', { title: 'Play', onclick }, 'text', child).
export function h(spec, attributes = {}, ...children) {
  const [tag, ...classes] = spec.split('.');
  const element = document.createElement(tag || 'div');
  if (classes.length) element.className = classes.join(' ');
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name in element && name !== 'list') element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

const paths = {
  play: 'M6 4l12 8-12 8z',
  pause: 'M7 4h3.5v16H7zM13.5 4H17v16h-3.5z',
  step: 'M5 4l9 8-9 8zM16 4h3v16h-3z',
  back: 'M19 4l-9 8 9 8zM5 4h3v16H5z',
  reset: 'M12 5a7 7 0 1 1-6.6 4.7l1.9.7A5 5 0 1 0 12 7v3L7.5 6 12 2z',
  undo: 'M9 5v3.5h4.5a5.5 5.5 0 0 1 0 11H8v-2.2h5.5a3.3 3.3 0 0 0 0-6.6H9V14L3.5 9.5z',
  redo: 'M15 5v3.5h-4.5a5.5 5.5 0 0 0 0 11H16v-2.2h-5.5a3.3 3.3 0 0 1 0-6.6H15V14l5.5-4.5z',
  camera: 'M4 8h3l1.5-2h7L17 8h3v11H4zM12 10a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7z',
  help: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 14.5a1 1 0 1 1 0-2 1 1 0 0 1 0 2zm.9-4.6v.9h-1.8v-1.6c2-.3 2.7-1 2.7-1.9a1.8 1.8 0 0 0-3.5-.4l-1.7-.6a3.6 3.6 0 0 1 7 1c0 1.5-1 2.3-2.7 2.6z',
  chart: 'M4 4h2v14h14v2H4zM8 14l3.5-4 3 2.5L19 7l1.4 1.2-5.7 7-3-2.4L9.4 15.3z',
  film: 'M4 5h16v14H4zm2 2v2h2V7zm0 4v2h2v-2zm0 4v2h2v-2zm10-8v2h2V7zm0 4v2h2v-2zm0 4v2h2v-2z',
  replay: 'M4 5h16v3h-2V7H6v10h5v2H4zM13 12l8 4.5-8 4.5z',
  record: 'M12 5a7 7 0 1 0 0 14 7 7 0 0 0 0-14zm0 2.2a4.8 4.8 0 1 1 0 9.6 4.8 4.8 0 0 1 0-9.6zm0 2.3a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  link: 'M10.6 13.4a1 1 0 0 1 0-1.4l3.5-3.5a1 1 0 1 1 1.4 1.4L12 13.4a1 1 0 0 1-1.4 0zM8 20a4 4 0 0 1-2.8-6.8l2.5-2.5 1.4 1.4-2.5 2.5a2 2 0 0 0 2.8 2.8l2.5-2.5 1.4 1.4-2.5 2.5A4 4 0 0 1 8 20zm6.9-8.1l2.5-2.5a2 2 0 0 0-2.8-2.8l-2.5 2.5-1.4-1.4 2.5-2.5a4 4 0 0 1 5.6 5.6l-2.5 2.5z',
  save: 'M5 3h11l3 3v15H5zm3 2v4h7V5zm4 8a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5z',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 2h2v3h-2zM11 19h2v3h-2zM2 11h3v2H2zM19 11h3v2h-3zM4.2 5.6l1.4-1.4 2.1 2.1-1.4 1.4zM16.3 17.7l1.4-1.4 2.1 2.1-1.4 1.4zM4.2 18.4l2.1-2.1 1.4 1.4-2.1 2.1zM16.3 6.3l2.1-2.1 1.4 1.4-2.1 2.1z',
  frame: 'M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z',
  close: 'M6.4 5L12 10.6 17.6 5 19 6.4 13.4 12l5.6 5.6-1.4 1.4L12 13.4 6.4 19 5 17.6l5.6-5.6L5 6.4z',
  sound: 'M4 9h4l5-4v14l-5-4H4zM15.5 8.5a5 5 0 0 1 0 7l-1.2-1.2a3.3 3.3 0 0 0 0-4.6z',
};

export function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', 'icon');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', paths[name]);
  path.setAttribute('fill-rule', 'evenodd');
  svg.append(path);
  return svg;
}

/// A number in as few characters as it needs.
export function short(value, digits = 3) {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return value.toExponential(Math.max(1, digits - 1));
  return String(Number(value.toPrecision(size >= 100 ? 4 : digits)));
}

/// For axes: 1200 is 1.2k.
export function compact(value) {
  const size = Math.abs(value);
  for (const [limit, letter] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']]) if (size >= limit) return `${Number((value / limit).toPrecision(4))}${letter}`;
  return short(value, 4);
}

export function download(name, content, type) {
  const blob = content instanceof Blob ? content : new Blob([content], { type });
  const url = URL.createObjectURL(blob);
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

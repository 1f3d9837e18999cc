// Lines of a form: a label, something to read or to change, a unit. Each is an element with `update(data)`.
import { h, short } from './dom.js';

/// A value that is only shown.
export function textField(label, value, unit = '') {
  const cell = h('span.value', {});
  return { element: h('div.field', {}, h('span.label', {}, label), cell), update: (data) => (cell.textContent = `${value(data)}${unit && ` ${unit}`}`) };
}

/// Shows why an input was not taken; the page sets it.
const refusal = { show: () => {} };
export const onRefusal = (show) => (refusal.show = show);

/// Not while the user is in it: afterwards, if nothing was typed.
function show(input, text) {
  const before = input.value, isUntouched = before === input.shownText;
  input.shownText = text;
  if (document.activeElement !== input) input.value = text;
  else if (isUntouched && before !== text) input.addEventListener('blur', () => input.value === before && (input.value = input.shownText), { once: true });
}
/// One sentence, and what was there before.
function refuse(inputs, sentence) {
  refusal.show(sentence);
  for (const input of inputs) input.value = input.shownText ?? '';
}

/// A name, as the headline of a form.
export function nameField(get, set) {
  const input = h('input.name', { type: 'text', 'aria-label': 'name', title: 'Type another name to change it', maxLength: 200, spellcheck: false,
    onchange: () => (input.value.trim() ? set(input.value.trim()) : refuse([input], 'A name needs at least one character.')), onkeydown: (event) => event.key === 'Enter' && input.blur() });
  return { element: h('header', {}, input), update: (data) => show(input, get(data)) };
}

export function numberField(label, unit, get, set) {
  const input = h('input.number', { type: 'number', step: 'any', 'aria-label': label,
    onchange: () => (Number.isFinite(input.valueAsNumber) ? set(input.valueAsNumber) : refuse([input], `${label}: expected a number.`)) });
  return { element: h('label.field', {}, h('span.label', {}, label), input, h('span.unit', {}, unit)), update: (data) => show(input, short(get(data), 5)) };
}

/// Empty means that there is no such bound, or what `empty` says: `set(null)`.
export function optionalField(label, unit, title, get, set, empty = 'none') {
  const input = h('input.number', { type: 'number', step: 'any', placeholder: empty, 'aria-label': label,
    onchange: () => (input.validity.badInput ? refuse([input], `${label}: expected a number, or nothing for none.`) : set(input.value === '' ? null : input.valueAsNumber)) });
  return { element: h('label.field.wide', { title }, h('span.label', {}, label), input, h('span.unit', {}, unit)),
    update: (data) => show(input, Number.isFinite(get(data)) ? short(get(data), 5) : '') };
}

/// A number that was not typed keeps all of its digits, of which only some are shown.
export function vectorField(label, unit, get, set) {
  let exact = [];
  const inputs = [0, 1, 2].map((i) => h('input.number', { type: 'number', step: 'any', 'aria-label': `${label} ${'xyz'[i]}`,
    onchange: () => {
      const values = inputs.map((input, i) => (input.value === input.shownText ? exact[i] : input.valueAsNumber));
      if (values.every(Number.isFinite)) set(values);
      else refuse(inputs, `${label}: expected three numbers.`);
    } }));
  return { element: h('div.field.vector', {}, h('span.label', {}, label), ...inputs, h('span.unit', {}, unit)),
    update: (data) => (exact = get(data)).forEach((value, i) => show(inputs[i], short(value, 4))) };
}

export function choiceField(label, title, choices, get, set) {
  const select = h('select', { 'aria-label': label, onchange: () => set(select.value) }, ...choices.map((c) => h('option', { value: c }, c)));
  return { element: h('label.field.wide', { title }, h('span.label', {}, label), select), update: (data) => show(select, get(data)) };
}

export function flagField(label, title, get, set) {
  const input = h('input', { type: 'checkbox', onchange: () => set(input.checked) });
  return { element: h('label.check', { title }, input, h('span', {}, label)), update: (data) => (input.checked = get(data)) };
}

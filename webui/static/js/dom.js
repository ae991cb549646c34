// Elements without a framework: h() builds, render() changes what is there into what should be there.
// Keeping elements in place keeps focus, scroll and pictures; handlers are delegated (data-act), so nothing is re-bound.

const SVG = "http://www.w3.org/2000/svg";

export function h(tag, attrs, ...children) {
  const svg = tag.startsWith("svg:");
  const el = svg ? document.createElementNS(SVG, tag.slice(4)) : document.createElement(tag);
  for (const [name, value] of Object.entries(attrs ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "vars") for (const [k, v] of Object.entries(value)) el.style.setProperty(k, v);
    else if (name === "text") el.textContent = value;
    else el.setAttribute(name, value === true ? "" : value);
  }
  append(el, children);
  return el;
}

function append(el, children) {
  for (const child of children) {
    if (child === undefined || child === null || child === false) continue;
    if (Array.isArray(child)) append(el, child);
    else el.append(child instanceof Node ? child : document.createTextNode(child));
  }
}

export const frag = (...children) => h("div", {}, ...children);

/** Make `target`'s children equal to `children`. */
export function render(target, ...children) {
  if (!target) return;
  const wanted = document.createElement("div");
  append(wanted, children);
  morphChildren(target, wanted);
}

const keyOf = (node) => (node.nodeType === 1 ? node.getAttribute("data-key") : null);

function alike(a, b) {
  return a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);
}

function morphChildren(now, wanted) {
  const keyed = new Map();
  for (const child of now.children) if (keyOf(child) !== null) keyed.set(keyOf(child), child);
  let at = now.firstChild;
  for (const want of [...wanted.childNodes]) {
    const key = keyOf(want);
    const match = key !== null ? keyed.get(key) : at && keyOf(at) === null && alike(at, want) ? at : null;
    if (match && alike(match, want)) {
      if (match === at) at = at.nextSibling;
      else now.insertBefore(match, at);
      morph(match, want);
      if (key !== null) keyed.delete(key);
    } else {
      now.insertBefore(want, at);
    }
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

function morph(now, want) {
  if (now.nodeType !== 1) {
    if (now.nodeValue !== want.nodeValue) now.nodeValue = want.nodeValue;
    return;
  }
  // The policy of the page forbids style attributes written as text; through the style object they are allowed.
  if (now.style.cssText !== want.style.cssText) now.style.cssText = want.style.cssText;
  for (const { name, value } of [...want.attributes]) if (name !== "style" && now.getAttribute(name) !== value) now.setAttribute(name, value);
  for (const { name } of [...now.attributes]) {
    if (name !== "style" && !want.hasAttribute(name) && !(name === "open" && now.nodeName === "DETAILS")) now.removeAttribute(name);
  }
  morphChildren(now, want);
}

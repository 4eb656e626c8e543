// Turns a drawn node into a freshly drawn one and keeps every part of it that is the same.
//
// An answer is edited several times a second while people read and click it. A replaced node would take with it the click
// between press and release, the selection, the focus, and have a screen reader begin again. So nodes are kept: those with
// a data-key wherever they stand, the others by their place among their siblings. Texts grow at their end, and only what
// has another nature is replaced. A kept node is never moved, as that would cost it focus and click too.

// What makes a node another one: a button that does something else must not inherit a click that has begun. `style` is
// here because the content policy lets no attribute of that name be set.
const IDENTITY = ["id", "data-action", "data-custom-id", "data-emoji", "data-target", "style"];

export function morph(old, fresh) {
  syncAttributes(old, fresh);
  let place = old.firstChild; // those before it are done
  for (const node of [...fresh.childNodes]) {
    const kept = counterpart(place, node);
    if (!kept) {
      old.insertBefore(node, place);
      continue;
    }
    place = removeUntil(place, kept).nextSibling;
    if (kept.isEqualNode(node)) continue;
    if (kept.nodeType === Node.TEXT_NODE && node.nodeType === Node.TEXT_NODE) setText(kept, node.data);
    else if (isSame(kept, node)) morph(kept, node);
    else kept.replaceWith(node);
  }
  removeUntil(place, null);
}

const keyOf = (node) => node?.dataset?.key;

// The old node that `node` goes on as, from `place` on.
function counterpart(place, node) {
  const key = keyOf(node);
  if (key === undefined) return keyOf(place) === undefined ? place : null;
  let candidate = place;
  while (candidate && keyOf(candidate) !== key) candidate = candidate.nextSibling;
  return candidate;
}

function removeUntil(place, end) {
  while (place !== end) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
  return end;
}

function isSame(kept, node) {
  return kept.nodeType === Node.ELEMENT_NODE && kept.nodeName === node.nodeName
    && IDENTITY.every((name) => kept.getAttribute(name) === node.getAttribute(name));
}

function setText(kept, text) {
  if (text.startsWith(kept.data)) kept.appendData(text.slice(kept.data.length)); // a selection in it survives
  else kept.data = text;
}

function syncAttributes(old, fresh) {
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
}

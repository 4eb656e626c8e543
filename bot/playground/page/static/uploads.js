// A file on its way: given to the page's server when it is chosen, and named by its id in what is sent later.

export async function upload(file) {
  const answer = await fetch(`/uploads/${encodeURIComponent(file.name)}`, { method: "POST", body: file });
  if (!answer.ok) throw new Error(answer.status === 413 ? `${file.name} is too large.` : `${file.name} could not be taken.`);
  return { id: (await answer.json()).id, name: file.name };
}

// Lets the person choose files; none where they changed their mind.
export function chooseFiles({ multiple = false } = {}) {
  return new Promise((resolve) => {
    const input = Object.assign(document.createElement("input"), { type: "file", multiple, hidden: true });
    const done = () => { resolve([...input.files]); input.remove(); };
    input.addEventListener("change", done);
    input.addEventListener("cancel", done);
    (document.querySelector("dialog[open]") ?? document.body).append(input);
    input.click();
  });
}

// A helper of a kernel set, in Node and in browsers: takes parts of its jobs until the set ends.
import { boardAt, takeParts, word } from "./parts.mjs";

/** Looks at the board before it sleeps: the next job of a step comes within microseconds. */
const looks = 20_000;

const threads = globalThis.process?.getBuiltinModule?.("node:worker_threads");
if (threads) help(threads.workerData);
else
  globalThis.addEventListener("message", ({ data }) => {
    help(data);
    globalThis.close();
  });

function help({ module, memory, address, names, thread }) {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  const functions = names.map((name) => exports[name]);
  const board = boardAt(memory.buffer, address);
  const { words } = board;
  for (let seen = 0; ;) {
    for (let i = 0; i < looks && Atomics.load(words, word.job) === seen; i++);
    Atomics.wait(words, word.job, seen);
    seen = Atomics.load(words, word.job);
    if (words[word.ended] !== 0) return;
    Atomics.add(words, word.inside, 1);
    try {
      Atomics.add(words, word.helped, takeParts(board, functions, thread));
    } catch {
      Atomics.store(words, word.failed, 1);
    }
    if (Atomics.sub(words, word.inside, 1) === 1) Atomics.notify(words, word.inside);
  }
}

// Entry of a locked process that runs Python in WebAssembly: one job per line of JSON in, one result per line out.
// Plain JavaScript, so that Node opens it from the repository and from a package alike.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { isMainThread, parentPort, Worker } from "node:worker_threads";
import { imageRunner, stackPages, startImage } from "./image.mjs";
import { pythonModule } from "./python-module.mjs";

if (isMainThread) relay();
else await interpret();

/**
 * Passes lines to the thread of the interpreter and back. A thread can have the stack that deep recursion needs, unlike a
 * process; and a program that loops does not keep this one from noticing that its parent is gone.
 */
function relay() {
  const resourceLimits = { stackSizeMb: 24, maxOldGenerationSizeMb: 512 };
  const thread = new Worker(new URL(import.meta.url), { argv: process.argv.slice(2), resourceLimits });
  thread.on("message", (line) => process.stdout.write(`${line}\n`));
  createInterface({ input: process.stdin, crlfDelay: Infinity })
    .on("line", (line) => thread.postMessage(line))
    .on("close", () => process.kill(process.pid, "SIGKILL"));
}

async function interpret() {
  const [interpreter, shimUrl, runnerFile, pages, seed, moduleName, ...moduleFiles] = process.argv.slice(2);
  const maximumPages = Number(pages) + stackPages;
  const { module, segments } = pythonModule(readFileSync(interpreter), maximumPages);
  const shim = await import(shimUrl);
  const source = moduleFiles.map((file) => readFileSync(file, "utf8")).join("\n\n");
  // ASCII text in JSON is a literal in Python.
  const runner = `${readFileSync(runnerFile, "utf8")}\nprovide(${JSON.stringify(moduleName)}, ${JSON.stringify(source)})`;
  const run = imageRunner(startImage(shim, module, segments, { runner, maximumPages, seed: Number(seed) }));
  const send = (value) => parentPort.postMessage(JSON.stringify(value));
  parentPort.on("message", (line) => {
    const { code, stdin, files, outputBytes, sleepSeconds } = JSON.parse(line);
    const program = Buffer.from(code);
    const input = Buffer.concat([Buffer.from(String(program.length).padStart(8)), program, Buffer.from(stdin)]);
    const contents = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)]));
    send(run({ stdin: input, files: contents, outputBytes, sleepSeconds, seed: Number(seed) }));
  });
  send({ status: "ready" });
}

// Entry of a locked process that runs Python in WebAssembly: one job per line of JSON in, one result per line out.
// Plain JavaScript, so that Node opens it from the repository and from a package alike.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Worker } from "node:worker_threads";
import { imageRunner, startImage } from "./image.mjs";
import { pythonModule } from "./python-module.mjs";

const [interpreter, shimUrl, runnerFile, pages, seed, moduleName, ...moduleFiles] = process.argv.slice(2);
const maximumPages = Number(pages);
const { module, segments } = pythonModule(readFileSync(interpreter), maximumPages);
const runner = readFileSync(runnerFile, "utf8");
const shim = await import(shimUrl);
const source = moduleFiles.map((file) => readFileSync(file, "utf8")).join("\n\n");
const image = { runner: runner + asModule(moduleName, source), maximumPages, seed: Number(seed) };
const run = imageRunner(startImage(shim, module, segments, image));

/** Python that puts a module there for programs to import, compiled once. ASCII text in JSON is a literal in Python. */
function asModule(name, text) {
  return `
module = type(sys)(${JSON.stringify(name)})
exec(compile(${JSON.stringify(text)}, ${JSON.stringify(`<${name}>`)}, "exec"), module.__dict__)
sys.modules[${JSON.stringify(name)}] = module
del module
`;
}

// A program that loops keeps this thread from noticing that whoever asked is gone; nothing is ever written to 3.
const watch = `try { require("node:fs").readSync(3, Buffer.alloc(1)); } finally { process.kill(process.pid, "SIGKILL"); }`;
new Worker(watch, { eval: true }).unref();

const send = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
createInterface({ input: process.stdin, crlfDelay: Infinity }).on("line", (line) => {
  const { code, stdin, files, outputBytes, sleepSeconds } = JSON.parse(line);
  const program = Buffer.from(code);
  const input = Buffer.concat([Buffer.from(String(program.length).padStart(8)), program, Buffer.from(stdin)]);
  const contents = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)]));
  send(run({ stdin: input, files: contents, outputBytes, sleepSeconds, seed: Number(seed) }));
});
send({ status: "ready" });

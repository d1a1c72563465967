// Preloaded before the command line (`node --import`): counts writes below LACONIC_KILL_FOLDER in all threads. Kills the
// process at write number LACONIC_KILL_AT after half of its bytes; 0 only counts.
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { resolve, sep } from "node:path";

const {
  LACONIC_KILL_FOLDER: folder = "",
  LACONIC_KILL_AT: number = "0",
  LACONIC_KILL_COUNTER: counter = "",
} = process.env;

/** Whether this is the chosen write. Threads share the counter: a file with one byte per write. */
function isTurn() {
  const file = fs.openSync(counter, "a+");
  fs.writeSync(file, ".");
  const { size } = fs.fstatSync(file);
  fs.closeSync(file);
  return size === Number(number);
}

function die() {
  process.kill(process.pid, "SIGKILL");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

const isBelow = (path) => typeof path === "string" && (resolve(path) + sep).startsWith(folder + sep);

const promises = fs.promises;
const { open } = promises;
promises.open = async (path, flags, ...rest) => {
  const file = await open(path, flags, ...rest);
  if (!isBelow(path)) return file;
  const { writeFile } = file;
  file.writeFile = async (data, ...options) => {
    if (isTurn()) {
      const bytes = Buffer.from(data);
      await file.write(bytes.subarray(0, bytes.length >> 1));
      die();
    }
    return writeFile.call(file, data, ...options);
  };
  return file;
};
for (const name of ["writeFile", "appendFile", "rename", "rm", "mkdir", "unlink", "link", "truncate"]) {
  const original = promises[name];
  promises[name] = async (path, ...rest) => {
    if (isBelow(path) && isTurn()) die();
    return original(path, ...rest);
  };
}
syncBuiltinESMExports();

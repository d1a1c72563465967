// Preload (--import) that makes a process behave as on the system in AS_PLATFORM (win32, darwin), as far as Laconic can
// notice. Paths stay local. Refused calls are logged to the file in AS_PLATFORM_LOG, one per line.
import childProcess from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { basename, dirname } from "node:path";
import { fileURLToPath } from "node:url";

const log = process.env.AS_PLATFORM_LOG;
const append = fs.appendFileSync;
const system = process.env.AS_PLATFORM;
if (system !== "win32" && system !== "darwin") throw new Error(`AS_PLATFORM is ${system}; it is win32 or darwin`);
const isWindows = system === "win32";
function refusal(code, call, what) {
  if (log) append(log, `${code} ${call} ${what}\n`);
  return Object.assign(new Error(`${code}: as on ${system}, ${call} '${what}'`), {
    code,
    syscall: call,
    path: String(what),
  });
}

// The compilers of tsx and Vite are local programs, selected by platform name.
const native = process.platform;
const isTool =
  /node_modules[/\\](?:\.pnpm[/\\])?(?:@?esbuild|tsx|get-tsconfig|rollup|@rollup|rolldown|@rolldown|vite|koffi|@koromix|webgpu|@img|sharp)/u;
Object.defineProperty(process, "platform", {
  get: () => {
    const { prepareStackTrace, stackTraceLimit } = Error;
    Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getFileName() ?? "");
    Error.stackTraceLimit = 3;
    const [, caller = ""] = new Error("where").stack;
    Object.assign(Error, { prepareStackTrace, stackTraceLimit });
    return isTool.test(caller) || caller.startsWith("node:") ? native : system;
  },
});
os.platform = () => process.platform;

// Invalid file names.
const badName = /[<>:"|?*\u0000-\u001f]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/iu;
const pathOf = (path) => (path instanceof URL ? fileURLToPath(path) : String(path));
const isBad = (path) => {
  const name = basename(pathOf(path));
  return name !== "" && name !== "." && name !== ".." && badName.test(name);
};
function clash(path) {
  const file = pathOf(path);
  const name = basename(file);
  try {
    return fs.readdirSync(dirname(file)).find((other) => other !== name && other.toLowerCase() === name.toLowerCase());
  } catch {
    return undefined;
  }
}

const creates = (flags) => typeof flags === "string" && /[wa]|r\+/u.test(flags) && flags !== "r+";
function checkNew(call, path) {
  if (typeof path === "number" || (typeof path === "object" && !(path instanceof URL) && !Buffer.isBuffer(path)))
    return;
  if (isWindows && isBad(path)) throw refusal("ENOENT", call, path);
  const other = clash(path);
  if (other !== undefined) throw refusal("EEXIST", call, `${pathOf(path)} beside ${other}`);
}
/** Simulates a virus scanner that locks new files: the first renames to a target fail. */
const held = new Map();
function checkRename(from, to) {
  checkNew("rename", to);
  if (!isWindows) return;
  const tries = held.get(String(to)) ?? 0;
  held.set(String(to), (tries + 1) % 3);
  if (tries < 2) throw refusal(tries === 0 ? "EPERM" : "EBUSY", "rename", to);
}

const { promises } = fs;
wrap(promises, "rename", checkRename);
wrap(promises, "mkdir", (path) => checkNew("mkdir", path));
wrap(promises, "open", (path, flags) => creates(flags) && checkNew("open", path));
wrap(promises, "writeFile", (path) => checkNew("open", path));
wrap(promises, "appendFile", (path) => checkNew("open", path));
wrap(promises, "symlink", (target, path) => isWindows && refuse("EPERM", "symlink", path));
// Both systems lack /proc and /sys.
const checkProc = (path) => /^\/(?:proc|sys)(?:\/|$)/u.test(String(path)) && refuse("ENOENT", "open", path);
for (const name of ["readFile", "readdir"]) wrap(promises, name, checkProc);
for (const name of ["readFileSync", "readdirSync"]) wrap(fs, name, checkProc);
wrap(fs, "renameSync", checkRename);
wrap(fs, "mkdirSync", (path) => checkNew("mkdir", path));
wrap(fs, "writeFileSync", (path) => checkNew("open", path));
wrap(fs, "createWriteStream", (path) => checkNew("open", path));
wrap(fs, "symlinkSync", (target, path) => isWindows && refuse("EPERM", "symlink", path));

// Windows cannot sync a folder.
const open = promises.open;
promises.open = async (path, ...rest) => {
  const file = await open(path, ...rest);
  if (isWindows && (await file.stat()).isDirectory()) file.sync = async () => refuse("EPERM", "fsync", path);
  return file;
};

// Windows has no Unix programs and no signals to groups, and needs a shell for scripts.
const unix = /^(?:npm|npx|pnpm|python3|ps|xdg-open|which|sh|bash|uname|ldconfig)$/u;
function checkProgram(call, program, options) {
  if (!isWindows) return;
  if (/\.(?:cmd|bat)$/iu.test(program) && !options?.shell) refuse("EINVAL", call, program);
  if (unix.test(program) || /[/\\]bin[/\\]python3?$/u.test(program)) refuse("ENOENT", call, program);
}
for (const name of ["spawn", "execFile", "spawnSync", "execFileSync"])
  wrap(childProcess, name, (program, ...rest) => {
    const options = rest.find((each) => each !== null && typeof each === "object" && !Array.isArray(each));
    checkProgram(name, String(program), options);
  });
const kill = process.kill.bind(process);
process.kill = (pid, signal) => (isWindows && pid < 0 ? refuse("ESRCH", "kill", pid) : kill(pid, signal));

syncBuiltinESMExports();

function refuse(code, call, what) {
  throw refusal(code, call, what);
}

function wrap(module, name, check) {
  const real = module[name];
  const isAsync = module === promises;
  module[name] = function (...args) {
    if (!isAsync) {
      check(...args);
      return Reflect.apply(real, this, args);
    }
    return (async () => {
      check(...args);
      return Reflect.apply(real, this, args);
    })();
  };
}

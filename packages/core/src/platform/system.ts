/** A program and its arguments; never passed through a shell. */
export type Command = readonly [program: string, ...args: string[]];

/** What differs between the systems that Node runs on. Nothing here asks the machine, so each can be tested on any. */
export interface System {
  /** For messages. */
  readonly title: "Linux" | "macOS" | "Windows";
  /** File name of a shared library: `libc10.so`, `libc10.dylib`, `c10.dll`. */
  library(name: string): string;
  /** The C library, with `malloc`, `memcpy` and what sets a variable of the environment. */
  readonly cLibrary: string;
  /** Names under which a Python is looked for on the path. */
  readonly pythons: readonly string[];
  /** Where an environment (venv or conda) has its Python, below its folder. */
  readonly pythonsBelow: readonly string[];
  /** Where an environment has its packages, below its folder; `*` stands for the name of a Python. */
  readonly packagesBelow: readonly string[];
  /** Opens an address in the user's browser. */
  open(url: string): Command;
  /** Whether a signal reaches a group of processes. */
  readonly hasGroups: boolean;
  /** Codes of file errors that pass: another program holds the file for a moment. */
  readonly passing: ReadonlySet<string>;
}

const none: ReadonlySet<string> = new Set();

const linux: System = {
  title: "Linux",
  library: (name) => `lib${name}.so`,
  cLibrary: "libc.so.6",
  pythons: ["python3"],
  pythonsBelow: ["bin/python3", "bin/python"],
  packagesBelow: ["lib/*/site-packages", "lib/*/dist-packages"],
  open: (url) => ["xdg-open", url],
  hasGroups: true,
  passing: none,
};

const macOs: System = {
  ...linux,
  title: "macOS",
  library: (name) => `lib${name}.dylib`,
  cLibrary: "/usr/lib/libSystem.B.dylib",
  open: (url) => ["open", url],
};

const windows: System = {
  title: "Windows",
  library: (name) => `${name}.dll`,
  cLibrary: "ucrtbase.dll",
  // `python3` is a link to the shop where nothing is installed.
  pythons: ["python", "py"],
  pythonsBelow: ["Scripts/python.exe", "python.exe"],
  packagesBelow: ["Lib/site-packages"],
  open: (url) => ["explorer.exe", url],
  hasGroups: false,
  // Scanners and indexers open what was just written.
  passing: new Set(["EPERM", "EACCES", "EBUSY"]),
};

/** The rules of a system, by Node's name for it; those of Linux for one that is not known. */
export function systemOf(platform: string): System {
  return platform === "win32" ? windows : platform === "darwin" ? macOs : linux;
}

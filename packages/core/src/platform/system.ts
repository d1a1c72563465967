/** A program and its arguments; never passed through a shell. */
export type Command = readonly [program: string, ...args: string[]];

/** Differences between operating systems, as pure values that can be tested on any. */
export interface System {
  readonly title: "Linux" | "macOS" | "Windows";
  /** File name of a shared library: `libc10.so`, `libc10.dylib`, `c10.dll`. */
  library(name: string): string;
  readonly cLibrary: string;
  /** Names of Python on the path. */
  readonly pythons: readonly string[];
  /** Paths of Python below the folder of an environment (venv or conda). */
  readonly pythonsBelow: readonly string[];
  /** Paths of packages below the folder of an environment; `*` is the name of a Python. */
  readonly packagesBelow: readonly string[];
  open(url: string): Command;
  /** Whether a signal reaches a group of processes. */
  readonly hasGroups: boolean;
  /** Codes of temporary file errors: another program holds the file. */
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

/** Rules of a platform by Node's name; Linux for unknown ones. */
export function systemOf(platform: string): System {
  return platform === "win32" ? windows : platform === "darwin" ? macOs : linux;
}

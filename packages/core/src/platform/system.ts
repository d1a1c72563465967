/** Never passed through a shell. */
export type Command = readonly [program: string, ...args: string[]];

/** Differences between operating systems, testable anywhere. */
export interface System {
  readonly title: "Linux" | "macOS" | "Windows";
  /** File name of a shared library: `libc10.so`, `libc10.dylib`, `c10.dll`. */
  library(name: string): string;
  readonly cLibrary: string;
  readonly pythons: readonly string[];
  readonly pythonsBelow: readonly string[];
  /** Paths in it; `*` is the name of a Python. */
  readonly packagesBelow: readonly string[];
  open(url: string): Command;
  /** Signals reach process groups. */
  readonly hasGroups: boolean;
  /** Temporary, while another program holds the file. */
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
  // Without Python, `python3` is a link to the store.
  pythons: ["python", "py"],
  pythonsBelow: ["Scripts/python.exe", "python.exe"],
  packagesBelow: ["Lib/site-packages"],
  open: (url) => ["explorer.exe", url],
  hasGroups: false,
  // Scanners and indexers open new files.
  passing: new Set(["EPERM", "EACCES", "EBUSY"]),
};

/** System of a platform name; Linux if unknown. */
export function systemOf(platform: string): System {
  return platform === "win32" ? windows : platform === "darwin" ? macOs : linux;
}

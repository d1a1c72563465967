#!/usr/bin/env node
// Entry of the command line: plain JavaScript, so that Node opens it from the repository and from a package alike.
const fromSource = import.meta.resolve("@laconic/core").endsWith(".ts");
// The repository holds TypeScript only; tsx is a dependency of the app in either case, for typed configurations.
if (fromSource) (await import("tsx/esm/api")).register();
const { runProcess } = await import(fromSource ? "../src/main.ts" : "../dist/main.js");
await runProcess();

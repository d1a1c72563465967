// node scripts/pack.mjs [FOLDER]: builds and packs all packages, and prints a JSON object of tarballs by package name.
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { packAll } from "./lib/pack.mjs";
import { root } from "./lib/root.mjs";

const folder = resolve(process.argv[2] ?? join(root, "node_modules", ".cache", "tarballs"));
mkdirSync(folder, { recursive: true });
console.log(JSON.stringify(await packAll(folder)));

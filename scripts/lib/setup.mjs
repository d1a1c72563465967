import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./root.mjs";
import { run } from "./run.mjs";

const stampFile = join(root, "node_modules", ".laconic-setup");

/** Installs locked dependencies if needed. On failure, prints pnpm's output and exits with 1. */
export async function setUp() {
  requireNode();
  const stamp = lockedState();
  if (installedState() === stamp) return;

  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  console.error(`Setting up: ${packageManager} installs the locked dependencies (once, about a minute).`);
  const install = ["install", "--frozen-lockfile", "--config.confirmModulesPurge=false", "--reporter=append-only"];
  const { code, text, seconds } = await npmExec([packageManager, ...install]);
  if (code !== 0) {
    console.error(text);
    console.error(
      `Setup failed: pnpm ended with exit code ${code}; its message is above.` +
        " Fix that (most often the network), then run: npm run setup",
    );
    process.exit(1);
  }
  writeFileSync(stampFile, stamp);
  console.error(`Set up in ${seconds.toFixed(1)} s.\n`);
}

function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(
    `Laconic needs Node 20.19 or newer, and this is ${process.version}. Fix: install it from https://nodejs.org`,
  );
  process.exit(1);
}

function lockedState() {
  const hash = createHash("sha256");
  for (const file of ["pnpm-lock.yaml", "pnpm-workspace.yaml"]) hash.update(readFileSync(join(root, file)));
  return `${hash.digest("hex")} ${process.versions.modules} ${process.platform}-${process.arch}\n`;
}

function installedState() {
  try {
    return readFileSync(stampFile, "utf8");
  } catch {
    return null;
  }
}

/** npm's cache gets pnpm; nothing is installed globally. */
function npmExec(args) {
  const exec = ["exec", "--yes", "--", ...args];
  const npm = process.env.npm_execpath; // set when npm started this script
  return npm?.endsWith("npm-cli.js") ? run(process.execPath, [npm, ...exec]) : run("npm", exec);
}

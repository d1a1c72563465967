// Tries escapes in a sandbox as the current user and prints the results as JSON. Arguments: KIND; `all`, or `quick` for
// those that end without a limit; and bubblewrap's Python.
import { LaconicError } from "@laconic/core";
import { defaultLimits } from "@laconic/sandbox";
import { bubblewrapSandbox } from "../../src/bubblewrap/bubblewrap-sandbox.ts";
import { wasiSandbox } from "../../src/wasi/wasi-sandbox.ts";
import { openCanary } from "./canary.ts";
import { escapes } from "./sections.ts";

export type Tried =
  | { readonly user: number | null; readonly tried: number; readonly problems: readonly string[] }
  | { readonly missing: string };

/** Program that ends normally and checks that the previous one left nothing. */
const honest = `import json, os, sys
print([n for n in os.listdir(".") if n != "MARK"], len([1]), json.dumps([len(sys.modules) > 9]), "".join(map(str, range(9))))`;

const [kind = "", tier, python = "python3"] = process.argv.slice(2);

async function tryAll(): Promise<Tried> {
  const options = { limits: { ...defaultLimits, seconds: 1 }, concurrency: 1 };
  const sandbox = kind === "wasi" ? wasiSandbox(options) : bubblewrapSandbox({ ...options, python });
  const canary = await openCanary();
  const files = { [canary.mark]: "" };
  const probe = { code: honest.replace("MARK", canary.mark), files };
  const well = await sandbox.run(probe);
  const problems: string[] = well.status === "ok" ? [] : [`an honest program: ${well.status} ${well.stderr}`];
  // System calls need the C library.
  const table = escapes().filter(
    ({ ends, isCall }) => !(kind === "wasi" && isCall) && (tier === "all" || isQuick(ends)),
  );
  for (const { name, program, ends } of table) {
    const seconds = isQuick(ends) ? 1 : 0.3;
    const { status, stdout, stderr } = await sandbox.run({ code: canary.prelude + program, files, seconds });
    const next = await sandbox.run(probe);
    const matches = [
      ...(await canary.signs(stdout + stderr)),
      ...(ends.includes(status) ? [] : [`ended with ${status}, not ${ends.join(" or ")}: ${stderr.slice(-200)}`]),
      ...(next.stdout === well.stdout ? [] : [`the next run: ${next.status} ${next.stdout}${next.stderr}`]),
    ];
    problems.push(...matches.map((what) => `${name}: ${what}`));
  }
  await sandbox.close();
  problems.push(...(await canary.signs("")).map((what) => `in the end: ${what}`));
  await canary.close();
  return { user: process.getuid?.() ?? null, tried: table.length, problems };
}

function isQuick(ends: readonly string[]): boolean {
  return !ends.includes("time") && !ends.includes("memory");
}

const tried = await tryAll().catch((error: unknown): Tried => {
  if (LaconicError.is(error) && error.code === "device_unavailable") return { missing: error.message };
  throw error;
});
process.stdout.write(JSON.stringify(tried));

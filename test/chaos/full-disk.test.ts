import { execFileSync } from "node:child_process";
import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { command } from "./command.ts";
import { complaintAbout, done, isLong, laconic, temporary } from "./laconic-process.ts";
import { contentOf, goOn, trainWords } from "./small-run.ts";

const mounted: string[] = [];
afterAll(() => {
  for (const folder of mounted) execFileSync("umount", [folder]);
});

/** A disk in memory; null where this user may not mount one. */
async function disk(kilobytes: number): Promise<string | null> {
  const folder = join(await temporary(), "disk");
  await mkdir(folder);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    return null;
  }
  mounted.push(folder);
  return folder;
}

let content: Readonly<Record<string, string>>;
beforeAll(async () => {
  const run = join(await temporary(), "run");
  await done(command(trainWords(run)));
  content = await contentOf(run);
}, 120_000);

describe.concurrent("a disk that is full", () => {
  // A checkpoint takes 1.3 MB; two are kept while a third is written.
  const sizes = isLong ? [16, 64, 200, 800, 1400, 1800, 2200, 2800, 3200, 3600, 4000] : [16, 2200];
  test.for(sizes)(
    "after %i kB: the run ends in a line that says so, and goes on to the same bytes where there is room",
    { timeout: 120_000 },
    async (kilobytes, { skip }) => {
      const folder = await disk(kilobytes);
      skip(folder === null, "only root mounts a disk");
      const run = join(folder as string, "run");
      const full = await laconic(trainWords(run));
      expect([full.code, complaintAbout(full)]).toEqual([1, null]);
      expect(full.err).toMatch(/cannot be written: .*no space left.*what was saved before is whole/iu);
      const elsewhere = join(await temporary(), "run");
      await cp(run, elsewhere, { recursive: true }).catch(() => undefined);
      await rm(join(elsewhere, "LOCK"), { force: true });
      expect([(await goOn(elsewhere)).code, await contentOf(elsewhere)]).toEqual([0, content]);
    },
  );

  test("a file that may not grow further ends the run the same way", { timeout: 120_000 }, async ({ skip }) => {
    skip(process.platform === "win32", "Windows has no limits of files");
    const run = join(await temporary(), "run");
    // Blocks of 1,024 bytes: the optimiser's file is larger.
    const limited = await laconic(trainWords(run), { before: "ulimit -f 500" });
    expect(complaintAbout(limited)).toBeNull();
    expect([limited.code, limited.signal]).toEqual([1, null]);
    expect([(await goOn(run)).code, await contentOf(run)]).toEqual([0, content]);
  });
});

import { cp, rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { command } from "./command.ts";
import { damages, filesIn } from "./damage.ts";
import { complaintAbout, done, isLong, temporary } from "./laconic-process.ts";
import { contentOf, trainWords } from "./small-run.ts";

const evalWords = (run: string): string[] => ["eval", run, "--limit", "10"];

let whole = "";
let content: Readonly<Record<string, string>>;
let evaluations: readonly string[];
/** Every file of the run; of checkpoints, those of the last. */
let files: readonly string[];
beforeAll(async () => {
  whole = join(await temporary(), "run");
  await done(command(trainWords(whole)));
  content = await contentOf(whole);
  const shorter = `${whole}-shorter`;
  await cp(whole, shorter, { recursive: true });
  await rm(join(shorter, "checkpoints/step-00000003"), { recursive: true });
  evaluations = [(await command(evalWords(whole))).out, (await command(evalWords(shorter))).out];
  files = (await filesIn(whole)).filter((file) => !/^tensorboard|step-00000002/u.test(file));
});

const readers: Readonly<Record<string, (run: string, file: string) => Promise<void>>> = {
  async eval(run, file) {
    const { code, out, err } = await ended(evalWords(run));
    if (code === 0) expect(err.includes("trying the one before") ? evaluations[1] : evaluations[0], file).toBe(out);
  },
  async report(run, file) {
    const { code, err } = await ended(["view", "report", run]);
    // Rows that are gone or others are not passed over.
    if (code === 0 && /^(?:metrics|evaluations|episodes|rollouts|timing)/u.test(file))
      expect(err, file).toContain(file);
  },
  async train(run, file) {
    const { code } = await ended(["train", "--resume", run]);
    if (code === 0) expect(await contentOf(run), file).toEqual(content);
  },
};

async function ended(words: readonly string[]): ReturnType<typeof command> {
  const end = await command(words);
  expect(complaintAbout(end), words.join(" ")).toBeNull();
  return end;
}

/** Each file meets each command under one damage; `--long`: each under each. */
const cases = Object.entries(damages).map(([name, damage], i) => ({ name, damage, i }));

test.each(cases)(
  "a run with a file $name is reported or repaired, without a stack or other numbers",
  { timeout: isLong ? 900_000 : 240_000 },
  async ({ damage, i }) => {
    expect(files.length).toBeGreaterThan(14);
    for (const [j, file] of files.entries()) {
      const chosen = Object.values(readers).filter((_, k) => isLong || (i + j) % cases.length === k);
      for (const reader of chosen) {
        const run = join(await temporary(), "run");
        await cp(whole, run, { recursive: true });
        await damage(join(run, file), join(run, files[(j + 1) % files.length] as string));
        await reader(run, file);
        await rm(run, { recursive: true });
      }
    }
  },
);

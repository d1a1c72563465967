import { join } from "node:path";
import { writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { laconic } from "../../test/laconic.ts";

/** Wrong command line, and the location that its message names. DIR is an empty folder. */
const lines: readonly (readonly [line: string, location: string])[] = [
  ["trian", "trian"],
  ["data lss", "lss"],
  ["data", "COMMAND"],
  ["relay", "COMMAND"],
  ["topology shwo", "shwo"],
  ["--josn doctor", "COMMAND"],
  ["--nothing", "--nothing"],
  ["eval", "RUN"],
  ["analyze", "RUN"],
  ["analyze probe", "RUN"],
  ["analyze rescore", "RUN"],
  ["view report", "RUN"],
  ["view compare DIR", "OTHER"],
  ["view export", "RUN"],
  ["view send DIR", "SINK"],
  ["verify", "RUN"],
  ["plan", "CONFIG"],
  ["sweep", "CONFIG"],
  ["serve", "MODEL"],
  ["serve --train", "MODEL"],
  ["data show", "NAME"],
  ["data get", "NAME"],
  ["topology show", "GRAPH"],
  ["relay warm-start", "--out"],
  ["grade judge DIR", "--model"],
  ["completion", "bash|zsh|fish|schema"],
  ["completion tcsh", "tcsh"],
  ["doctor --josn", "--josn"],
  ["doctor --enable cuda", "--enable"],
  ["doctor --vocabulary 1", "--vocabulary"],
  ["doctor extra", "extra"],
  ["eval DIR --limit 0", "--limit"],
  ["eval DIR --limit 2000", "--limit"],
  ["eval DIR --problems 5", "--problems"],
  ["eval DIR --limit many", "--limit"],
  ["eval DIR --seeds 1", "--seeds"],
  ["eval DIR", "DIR"],
  ["analyze DIR --cut none", "--cut"],
  ["analyze rescore DIR --tokens -1", "--tokens"],
  ["view report DIR", "DIR"],
  ["view DIR --port 70000", "--port"],
  ["view DIR --out", "--out"],
  ["view export DIR --no-csv", "--no-csv"],
  ["view export DIR --out -", "--out"],
  ["view export DIR --table turn", "--table"],
  ["train DIR", "DIR"],
  ["train preset:relay", "relay"],
  ["train DIR/bad.json", "bad.json"],
  ["train DIR/none.json", "none.json"],
  ["train preset:relay-quickstart --seed", "--seed"],
  ["train preset:relay-quickstart train.stpes=3 --dry-run", "train.stpes"],
  ["train preset:relay-quickstart train.steps=-1 --dry-run", "train.steps"],
  ["train preset:relay-quickstart --timeout -1", "--timeout"],
  ["train preset:relay-quickstart --resume=maybe", "--resume"],
  ["quickstart steps", "WORLD"],
  ["quickstart --dryrun", "--dryrun"],
  ["sweep preset:relay-quickstart --seeds 3-1", "--seeds"],
  ["sweep ablate preset:relay-quickstart --seeds 1,1", "--seeds"],
  ["sweep ablate preset:relay-quickstart --price 0", "--price"],
  ["sweep ablate preset:relay-quickstart --own DIR/none.json", "none.json"],
  ["relay show --level ten-facts", "--level"],
  ["topology show stra", "GRAPH"],
  ["topology show debate --agents 1", "--agents"],
  ["exec DIR/none.py", "none.py"],
  ["exec DIR/none.py --timeout 0", "--timeout"],
  ["grade DIR", "DIR"],
  ["reproduce gspo", "PAPER"],
  ["bench --benchmarks gsm8k --methods cot --tasks relay-writers", "--benchmarks"],
  ["bench --top-p 1", "--top-p"],
  ["serve shipped --programs 2", "--programs"],
];

test.each(lines)("laconic %s", async (line, location) => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "bad.json"), `{"train":`);
  const words = line.split(" ").map((word) => word.replace("DIR", folder));
  const { code, out, err } = await laconic(...words);
  const [message = ""] = err.split("\n").filter((text) => text.startsWith("laconic: "));
  expect([code, out]).toEqual([2, ""]);
  expect(message).toContain(location.replace("DIR", folder));
  expect(message).toMatch(/; |expected|Expected|needs|must be/u);
});

// npm run -s prose -- [PATH...]: faults of English in files or folders, by default in all, and the rates per kind.
import { repositoryFiles } from "../workspace.ts";
import { measure } from "./measure.ts";

const paths = process.argv.slice(2);
const { faults, kinds } = measure(
  repositoryFiles().filter((file) => paths.length === 0 || paths.some((path) => `${file}/`.startsWith(`${path}/`))),
);
const lines = [
  ...faults.map(({ path, line, kind, rule, sentence }) => `${path}:${line} ${kind}, ${rule}: ${sentence}`),
  ...Object.entries(kinds).map(
    ([kind, { sentences, perThousand }]) =>
      `${kind}: ${perThousand.toFixed(1)} faults per 1,000 of ${sentences} sentences`,
  ),
];
process.stdout.write(`${lines.join("\n")}\n`);

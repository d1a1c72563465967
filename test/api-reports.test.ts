import { expect, test } from "vitest";
import { apiReports } from "../scripts/lib/api-report.mjs";

const reports = apiReports();

// `npm run api:report` writes docs/api.txt; a difference is a change of the public interface.
test("docs/api.txt has the signature of every export of a package's first entry", async () => {
  const lines = reports
    .filter(({ entry }) => /^(?:@laconic\/)?[\w-]+$/u.test(entry))
    .flatMap(({ entry, signatures }) => signatures.map((signature) => `${entry}: ${signature}\n`));
  await expect(lines.join("")).toMatchFileSnapshot("../docs/api.txt");
});

test("every export has a doc comment", () => {
  expect(reports.flatMap(({ undocumented }) => undocumented)).toEqual([]);
});

test("a signature has no body, members or defaults", () => {
  const signatures = reports.flatMap((report) => report.signatures);
  expect(signatures).toContain("function isOutOfMemory(error: unknown): error is LaconicError");
  expect(signatures).toContain("interface Kernels");
  expect(signatures.join("\n")).not.toContain("#alive");
  expect(signatures.join("\n")).toContain("options?: DebateOptions");
});

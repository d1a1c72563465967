import { expect, test } from "vitest";
import { remedyFor } from "./retry.ts";

test.for([
  [{}, "retry"],
  [{ status: 500 }, "retry"],
  [{ status: 501 }, "refused"],
  [{ status: 522 }, "retry"],
  [{ status: 529 }, "retry"],
  [{ status: 429, names: ["rate_limit_exceeded"] }, "retry"],
  [{ status: 429, names: ["insufficient_quota"] }, "spent"],
  [{ status: 400, names: ["billing_hard_limit_reached"] }, "spent"],
  [{ status: 402 }, "spent"],
  [{ status: 401 }, "refused"],
  [{ status: 418 }, "refused"],
  [{ malformed: true }, "retry-once"],
] as const)("%j: %s", ([failure, kind]) => {
  expect(remedyFor(failure).kind).toBe(kind);
});

import { expect, test } from "vitest";
import { askedWaitMs, parseRetryAfter, remedyFor } from "./retry.ts";

test.for([
  ["5", 5000],
  ["0", 0],
  ["36000", 300_000],
  ["Thu, 01 Jan 1970 00:00:10 GMT", 9000],
  ["Thu, 01 Jan 1970 00:00:00 GMT", 0],
  ["soon", null],
  ["-3", null],
  ["", null],
] as const)("retry-after %j waits %s ms", ([header, ms]) => {
  expect(parseRetryAfter(header, 1000)).toBe(ms);
});

const now = 1_700_000_000_000; // 2023-11-14T22:13:20Z

test.for<readonly [headers: Record<string, string>, status: number, bodyMs: number | null, ms: number | null]>([
  [{}, 429, null, null],
  [{ "retry-after-ms": "1250", "retry-after": "2" }, 429, 9000, 1250],
  [{ "retry-after-ms": "soon", "retry-after": "2" }, 429, 9000, 2000],
  [{ "retry-after": "Tue, 14 Nov 2023 22:13:50 GMT" }, 503, null, 30_000],
  [
    { "retry-after": "Tue, 14 Nov 2023 22:13:50 GMT", date: "Tue, 14 Nov 2023 22:13:45 GMT" },
    503,
    null,
    5000, // on a clock that is 25 s ahead of this machine's
  ],
  [{}, 429, 36_000, 36_000],
  [{}, 503, 36_000_000, 300_000],
  // OpenAI and Groq send a duration per limit; the exhausted limit counts.
  [
    {
      "x-ratelimit-remaining-requests": "59",
      "x-ratelimit-reset-requests": "1s",
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": "1m2.5s",
    },
    429,
    null,
    62_500,
  ],
  [{ "x-ratelimit-reset-requests": "120ms", "x-ratelimit-reset-tokens": "6m0s" }, 429, null, 120],
  [{ "x-ratelimit-reset-requests": "20ms" }, 500, null, null],
  // Azure and Together: seconds. OpenRouter: milliseconds since 1970; others seconds.
  [{ "x-ratelimit-reset-tokens": "26" }, 429, null, 26_000],
  [{ "x-ratelimit-reset": String(now + 7000) }, 429, null, 7000],
  [{ "x-ratelimit-reset": String(now / 1000 + 8) }, 429, null, 8000],
  [{ "x-ratelimit-reset": "2023-11-14T22:13:23Z" }, 429, null, 3000],
  [{ "ratelimit-reset": "4", "ratelimit-remaining": "0" }, 429, null, 4000],
  [{ "x-ratelimit-reset": "tomorrow" }, 429, null, null],
])("%j at %i, the body %s: %s ms", ([headers, status, bodyMs, ms]) => {
  expect(askedWaitMs(new Headers(headers), status, bodyMs, now)).toBe(ms);
});

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
] as const)("%j: %s", ([failure, kind]) => {
  expect(remedyFor(failure).kind).toBe(kind);
});

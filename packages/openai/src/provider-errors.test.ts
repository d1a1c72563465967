import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { failedAttempt, type AskedServer } from "./failure.ts";
import { FailedReply } from "./guarded-fetch.ts";
import { Secret } from "./secret.ts";

const asked = (key: string): AskedServer => ({ model: "m", address: "https://a.example/v1", key: new Secret(key) });
const now = 1_700_000_000_000;

interface ProviderError {
  readonly name: string;
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly kind: "retry" | "spent" | "refused";
  readonly afterMs?: number;
}

/** Error bodies as documented by each provider; their messages alone are misleading. */
const errors = readFileSync(new URL("../test/provider-errors.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as ProviderError);

test.for(errors.map((error) => [error.name, error] as const))(
  "%s",
  ([, { status, body, headers = {}, kind, afterMs }]) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const reply = new FailedReply(status, new Headers(headers), text);
    // The SDK wraps it like this.
    const { remedy, charged, toError } = failedAttempt(
      new Error("Connection error.", { cause: reply }),
      asked("none"),
      now,
    );
    expect(remedy.kind).toBe(kind);
    expect(remedy.kind === "retry" ? remedy.afterMs : undefined).toBe(afterMs);
    expect(charged).toBe(false);
    const code = { retry: "api_unavailable", spent: "budget_refused", refused: "api_refused" }[kind];
    expect(toError(1)).toMatchObject({ code, detail: { model: "m", attempts: 1, status } });
  },
);

test("an error's text is in the message, in any format", () => {
  const said = (body: unknown): string =>
    failedAttempt(
      new FailedReply(400, new Headers(), typeof body === "string" ? body : JSON.stringify(body)),
      asked("key-1234"),
      now,
    ).toError(1).message;
  expect(said({ error: { message: "no such model" } })).toBe("m at a.example: 400: no such model");
  expect(said([{ error: { message: "not valid" } }])).toBe("m at a.example: 400: not valid");
  expect(said({ object: "error", message: "no" })).toBe("m at a.example: 400: no");
  expect(said({ error: "a text, with key-1234" })).toBe("m at a.example: 400: a text, with [redacted]");
  expect(said("<html>Bad gateway</html>")).toBe("m at a.example: 400: <html>Bad gateway</html>");
});

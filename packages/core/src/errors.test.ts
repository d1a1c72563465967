import { expect, test, vi } from "vitest";
import { LaconicError } from "./index.ts";

test("an error carries code, message, facts and cause", () => {
  const cause = new Error("why");
  const error = new LaconicError("config_invalid", "key: wrong", { key: "key", limit: 3 }, cause);
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({ name: "LaconicError", code: "config_invalid", message: "key: wrong", cause });
  expect(error.detail).toEqual({ key: "key", limit: 3 });
  expect(String(error)).toBe("LaconicError: key: wrong");
});

test("without a cause there is no cause, no facts are an empty record, and the marker is not printed", () => {
  const error = new LaconicError("aborted", "stopped");
  expect("cause" in error).toBe(false);
  expect(error.detail).toEqual({});
  expect(Object.keys(error)).toEqual(["code", "detail", "name"]);
});

test("is recognises it, and nothing else", () => {
  expect(LaconicError.is(new LaconicError("aborted", "stopped"))).toBe(true);
  for (const other of [new Error("no"), null, undefined, "LaconicError", 3, {}, { code: "aborted" }])
    expect(LaconicError.is(other)).toBe(false);
});

test("is recognises errors of another installed copy", async () => {
  vi.resetModules();
  const copy = await import("./index.ts");
  const foreign = new copy.LaconicError("aborted", "stopped");
  expect(copy.LaconicError).not.toBe(LaconicError);
  expect(foreign).not.toBeInstanceOf(LaconicError);
  expect(LaconicError.is(foreign) && foreign.code).toBe("aborted");
  expect(copy.LaconicError.is(new LaconicError("aborted", "stopped"))).toBe(true);
});

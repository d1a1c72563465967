import { expect, test } from "vitest";
import { expectNotAborted, untilAborted } from "./until-aborted.ts";

const aborted = expect.objectContaining({ code: "aborted", message: "the thing: aborted" }) as Error;

test("work within the time limit returns its result, and no listener remains", async () => {
  const controller = new AbortController();
  const late: unknown[] = [];
  const wait = (work: Promise<unknown>): Promise<unknown> =>
    untilAborted(work, controller.signal, "the thing", (value) => late.push(value));
  expect(await wait(Promise.resolve(1))).toBe(1);
  await expect(wait(Promise.reject(new Error("no")))).rejects.toThrow("no");
  controller.abort();
  expect(late).toEqual([]);
  expect(await untilAborted(Promise.resolve(2), undefined, "the thing")).toBe(2);
});

test("once aborted it rejects at once, and hands over what arrives too late", async () => {
  const controller = new AbortController();
  const late: unknown[] = [];
  let finish: (value: number) => void = () => undefined;
  const work = new Promise<number>((resolve) => (finish = resolve));
  const waited = untilAborted(work, controller.signal, "the thing", (value) => late.push(value));
  controller.abort("reason");
  await expect(waited).rejects.toEqual(aborted);
  expect(late).toEqual([]);
  finish(7);
  await work;
  expect(late).toEqual([7]);
  const failing = Promise.reject(new Error("later"));
  await expect(untilAborted(failing, controller.signal, "the thing")).rejects.toMatchObject({ cause: "reason" });
  expect(() => expectNotAborted(controller.signal, "the thing")).toThrow(aborted);
  expectNotAborted(new AbortController().signal, "the thing");
});

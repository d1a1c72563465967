import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { randomFromSeed } from "@laconic/core";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { answer, json, model, request, server } from "../test/fake-api.ts";
import { openSpendJournal, readSpendJournal, SpendAccount } from "./index.ts";

async function journalPath(): Promise<string> {
  return join(await temporaryFolder(), "spending.jsonl");
}

const price = { prompt: 0, completion: 1e6 }; // a dollar a token: the reply has 2, and may have 8

test("a call is on disk before the server sees it, and settled after it", async () => {
  const path = await journalPath();
  const seen: number[] = [];
  const { url } = await server((_, response) => {
    void readSpendJournal(path).then((totals) => {
      seen.push(totals?.unsettled.usd ?? 0);
      json(response, 200, answer("ok"));
    });
  });
  const journal = await openSpendJournal(path);
  const account = new SpendAccount(100);
  account.keepIn(journal);
  await model(url, { account, price }).complete(request());
  await journal.close();
  expect([seen, account.spentUsd]).toEqual([[8], 2]);
  expect(await readSpendJournal(path)).toEqual({ spentUsd: 2, calls: 1, unsettled: { calls: 0, usd: 0 } });
});

test("every attempt is a call: one that failed without a charge costs nothing, one of unknown end its reservation", async () => {
  const path = await journalPath();
  const { url, bodies } = await server((incoming, response, _, call) => {
    if (call === 1) json(response, 400, { error: { message: "no" } });
    else incoming.socket.destroy();
  });
  const journal = await openSpendJournal(path);
  const account = new SpendAccount(100);
  account.keepIn(journal);
  const tiny = model(url, { account, price, attempts: 1 });
  for (let i = 0; i < 2; i++) await tiny.complete(request()).catch(() => undefined);
  await journal.close();
  expect(bodies).toHaveLength(2);
  expect(await readSpendJournal(path)).toEqual({ spentUsd: 8, calls: 2, unsettled: { calls: 0, usd: 0 } });
});

test("cut off anywhere, a journal counts every call that can have been sent, at least at its cost", async () => {
  const path = await journalPath();
  const random = randomFromSeed(1);
  const journal = await openSpendJournal(path, 5);
  await Promise.all(
    Array.from({ length: 40 }, async () => {
      const settle = await journal.begin(3);
      if (random.uniform() < 0.8) settle(random.integer(4));
    }),
  );
  await journal.close();
  const text = await readFile(path, "utf8");
  for (let end = 0; end <= text.length; end += 41) {
    const part = text.slice(0, end);
    await writeFile(path, part);
    const [whole] = [part.split("\n").slice(0, -1)];
    const lines = whole.map(
      (line) => JSON.parse(line) as { before?: number; call?: number; reserved?: number; usd?: number },
    );
    const begun = lines.filter(({ reserved }) => reserved !== undefined);
    const settled = lines.filter(({ usd }) => usd !== undefined);
    const spentUsd =
      (lines[0]?.before ?? 0) +
      3 * (begun.length - settled.length) +
      settled.reduce((sum, { usd = 0 }) => sum + usd, 0);
    const again = await openSpendJournal(path, 5);
    expect(again.before).toMatchObject({ calls: begun.length, spentUsd: lines.length === 0 ? 5 : spentUsd });
    // The torn line is gone, and numbers go on.
    (await again.begin(1))(1);
    await again.close();
    expect((await readSpendJournal(path))?.spentUsd).toBe(again.before.spentUsd + 1);
  }
});

test("damage is named, and a journal that cannot be written stops calls before they are sent", async () => {
  const path = await journalPath();
  await appendFile(path, '{"call":1,"reserved":1}\n{"call":1,"usd":-4}\n');
  await expect(readSpendJournal(path)).rejects.toMatchObject({ code: "data_invalid", detail: { row: 2 } });
  await expect(openSpendJournal(join(path, "below"))).rejects.toBeInstanceOf(Error);
  const { url, bodies } = await server((_, response) => json(response, 200, answer("ok")));
  const account = new SpendAccount(100);
  const journal = await openSpendJournal(`${path}.other`);
  account.keepIn(journal);
  await journal.close(); // writing fails from here on
  await expect(model(url, { account, price }).complete(request())).rejects.toMatchObject({ code: "run_unwritable" });
  expect([bodies.length, account.spentUsd, account.reservedUsd]).toEqual([0, 0, 0]);
});

import { createHash } from "node:crypto";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { downloadFile } from "./download-file.ts";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const bytes = new Uint8Array(3000).fill(7);
const sha256 = createHash("sha256").update(bytes).digest("hex");

async function downloadFrom(
  listener: RequestListener,
): Promise<{ readonly folder: string; download(): Promise<void> }> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const folder = await temporaryFolder();
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/file`;
  const wait = async (): Promise<void> => {};
  return {
    folder,
    download: () => downloadFile({ url, bytes: bytes.length, sha256, path: join(folder, "file"), wait }),
  };
}

test.for([404, 401, 503])("an answer of %s leaves nothing behind", async (status) => {
  const { folder, download } = await downloadFrom((_, response) => response.writeHead(status).end("no"));
  await expect(download()).rejects.toThrow(status === 404 ? "not found on " : String(status));
  expect(await readdir(folder)).toEqual([]);
});

test("a 404 keeps the received bytes, and the rest resumes later", async () => {
  const answers: RequestListener[] = [
    (_, response) => {
      response.writeHead(200, { "content-length": bytes.length });
      response.write(bytes.subarray(0, 1000), () => setTimeout(() => response.destroy(), 30));
    },
    (_, response) => response.writeHead(404).end(),
    (request, response) => {
      expect(request.headers.range).toBe("bytes=1000-");
      response.writeHead(206, { "content-range": "bytes 1000-2999/3000" }).end(bytes.subarray(1000));
    },
  ];
  const { folder, download } = await downloadFrom((request, response) => answers.shift()?.(request, response));
  await expect(download()).rejects.toFailWith("checkpoint_missing");
  expect(await readdir(join(folder, ".parts"))).toEqual([expect.stringMatching(/\.incomplete$/u)]);
  await download();
  expect(new Uint8Array(await readFile(join(folder, "file")))).toEqual(bytes);
  expect(await readdir(folder)).toEqual(["file"]);
});

import { createHash } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { exemplarSources, filesOf, openExemplars, type ExemplarSource } from "./index.ts";

const content = 'first\nTEXT = """a\\nb \\"c\\""""\nlast\n';

async function served(text = content): Promise<{ source: ExemplarSource; folder: string; mirror: string }> {
  const root = await temporaryFolder();
  const below = "owner/name/commit/prompts.py";
  const file = {
    path: `exemplars/${below}`,
    url: `https://raw.githubusercontent.com/${below}`,
    bytes: Buffer.byteLength(content),
    sha256: createHash("sha256").update(content).digest("hex"),
  };
  const path = join(root, "server", below);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  const texts = {
    all: { file },
    some: { file, pattern: /^TEXT = """(.*)"""$/u, escaped: true as const },
  };
  const source = { name: "own", title: "Own", licence: "MIT", texts, examples: 1 };
  return { source, folder: join(root, "data"), mirror: pathToFileURL(join(root, "server")).href };
}

test("texts are brought from a folder or a server, checked, kept, and read again offline", async () => {
  const { source, folder, mirror } = await served();
  const { texts } = await openExemplars(source, { folder, mirror });
  expect(texts).toEqual({ all: content.trim(), some: 'a\nb "c"' });
  await rm(join(folder, "..", "server"), { recursive: true });
  expect((await openExemplars(source, { folder, offline: true })).texts).toEqual(texts);
  const asked: string[] = [];
  const fetch = async (input: string | URL | Request): Promise<Response> => {
    asked.push(input instanceof Request ? input.url : String(input));
    return new Response(content, { headers: { "content-length": String(Buffer.byteLength(content)) } });
  };
  const other = join(folder, "other");
  expect((await openExemplars(source, { folder: other, mirror: "https://mirror.test/raw", fetch })).texts).toEqual(
    texts,
  );
  expect(asked[0]).toBe("https://mirror.test/raw/owner/name/commit/prompts.py");
});

test("offline, damaged or other bytes are said, and nothing wrong is kept", async () => {
  const { source, folder, mirror } = await served(content.replace("first", "f1rst"));
  await expect(openExemplars(source, { folder, offline: true })).rejects.toThrow(/laconic data get --exemplars/u);
  await expect(openExemplars(source, { folder, mirror })).rejects.toThrow(/is not the published file/u);
  const path = join(folder, filesOf(source)[0]?.path ?? "");
  await expect(readFile(path)).rejects.toThrow(/ENOENT/u);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, "other");
  await expect(openExemplars(source, { folder, offline: true })).rejects.toThrow(/its sha256 is/u);
});

async function answering(...answers: readonly RequestListener[]): Promise<{ mirror: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)];
    asked.push(`${request.url} ${request.headers.range ?? ""}`.trim());
    answer?.(request, response);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { mirror: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked };
}

const whole: RequestListener = (_, response) => void response.end(content);
const elsewhere: RequestListener = (_, response) => void response.writeHead(302, { location: "/elsewhere" }).end();
const cut: RequestListener = (_, response) => {
  response.writeHead(200, { "content-length": content.length });
  response.write(content.slice(0, 9), () => response.destroy());
};
const rest: RequestListener = (_, response) => {
  const range = `bytes 9-${content.length - 1}/${content.length}`;
  response.writeHead(206, { "content-range": range }).end(content.slice(9));
};

test("resumes after a cut connection and follows redirects", async () => {
  const { source, folder } = await served();
  const { mirror, asked } = await answering(cut, rest);
  expect((await openExemplars(source, { folder, mirror })).texts["some"]).toBe('a\nb "c"');
  expect(asked).toEqual(["/owner/name/commit/prompts.py", "/owner/name/commit/prompts.py bytes=9-"]);
  const other = await answering(elsewhere, whole);
  const texts = await openExemplars(source, { folder: join(folder, "other"), mirror: other.mirror });
  expect([texts.texts["some"], other.asked[1]]).toEqual(['a\nb "c"', "/elsewhere"]);
});

test("a server without the file, or with other bytes of its length, leaves no file", async () => {
  const { source, folder } = await served();
  const wrong = await answering((_, response) => void response.end(content.replace("first", "f1rst")));
  await expect(openExemplars(source, { folder, mirror: wrong.mirror })).rejects.toThrow(/do not have the sha256 hash/u);
  const absent = await answering((_, response) => void response.writeHead(404).end("<html>sign in</html>"));
  await expect(openExemplars(source, { folder, mirror: absent.mirror })).rejects.toThrow(/not found on /u);
  await expect(readFile(join(folder, filesOf(source)[0]?.path ?? ""))).rejects.toThrow(/ENOENT/u);
});

test("every source has a licence line, and files pinned by commit and hash", () => {
  expect(new Set(exemplarSources.map(({ name }) => name)).size).toBe(exemplarSources.length);
  for (const source of exemplarSources)
    for (const { url, sha256 } of filesOf(source)) {
      expect(url).toMatch(/^https:\/\/raw\.githubusercontent\.com\/[\w-]+\/[\w-]+\/[0-9a-f]{40}\/\S+$/u);
      expect(sha256).toMatch(/^[0-9a-f]{64}$/u);
    }
});

const fetched = process.env["LACONIC_EXEMPLARS"];
test.skipIf(!fetched)("fetched files hold every text, and as many examples as is said", async () => {
  for (const source of exemplarSources) {
    const { texts } = await openExemplars(source, { folder: fetched ?? "", offline: true });
    expect(Object.values(texts).filter((text) => text.trim() === "")).toEqual([]);
    const shown = texts["base"] ?? texts["examples"] ?? "";
    const counted = shown === "" ? source.examples : shown.match(/^(?:Q|Question|Problem):/gmu)?.length;
    expect(counted, source.name).toBe(source.examples);
  }
});

import { readFile } from "node:fs/promises";
import type { Browser } from "playwright-core";

/** Any address of a secure context: nothing is asked of it. */
const address = "https://film.localhost/";

/** Bits a second, so that text is sharp in every picture; most pictures need less. */
const bitrate = 3_000_000;

/**
 * A WebM of pictures of one size, encoded as VP9 by Chromium and written by mediabunny.
 * @param pictures - PNG
 * @param starts - of each picture, and the end of the last; seconds
 */
export async function webmOf(
  browser: Browser,
  pictures: readonly Buffer[],
  starts: readonly number[],
): Promise<Buffer> {
  const page = await browser.newPage();
  try {
    await page.route(address, (route) =>
      route.fulfill({ contentType: "text/html", body: "<!doctype html><title>film</title>" }),
    );
    await page.goto(address);
    // What the package means for browsers; Node's own entry is beside it.
    const library = new URL("../../bundles/mediabunny.min.cjs", import.meta.resolve("mediabunny"));
    await page.addScriptTag({ content: await readFile(library, "utf8") });
    const film = JSON.stringify({ pictures: pictures.map((each) => each.toString("base64")), starts, bitrate });
    return Buffer.from(await page.evaluate<string>(`(${encode})(${film})`), "base64");
  } finally {
    await page.close();
  }
}

/** In the page. Text: what a compiler adds to functions is not there. */
const encode = `async ({ pictures, starts, bitrate }) => {
  const { BufferTarget, CanvasSource, Output, WebMOutputFormat } = Mediabunny;
  const decoded = await Promise.all(pictures.map(async (picture) =>
    createImageBitmap(await (await fetch("data:image/png;base64," + picture)).blob())));
  const canvas = new OffscreenCanvas(decoded[0].width, decoded[0].height);
  const context = canvas.getContext("2d");
  const output = new Output({ format: new WebMOutputFormat(), target: new BufferTarget() });
  const source = new CanvasSource(canvas, { codec: "vp9", bitrate, latencyMode: "quality" });
  output.addVideoTrack(source);
  await output.start();
  for (const [i, picture] of decoded.entries()) {
    context.drawImage(picture, 0, 0);
    await source.add(starts[i], starts[i + 1] - starts[i]);
  }
  await output.finalize();
  const bytes = new Uint8Array(output.target.buffer);
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}`;

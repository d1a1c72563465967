import { designStyle } from "@laconic/core/design";
import { csvLine } from "@laconic/core/text";
import { Button } from "./elements.tsx";
import { saveFile } from "./save-file.ts";

export type CsvRow = Parameters<typeof csvLine>[0];

export function ChartFiles({ name, rows }: { name: string; rows: () => readonly CsvRow[] }) {
  const file = name.replaceAll(/[^\w.-]+/gu, "-");
  const csv = (): Blob =>
    new Blob(
      rows().map((row) => `${csvLine(row)}\n`),
      { type: "text/csv" },
    );
  return (
    <span class="line chart-files">
      <Button
        kind="small"
        aria-label={`${file} as PNG`}
        onClick={({ currentTarget }) => {
          const drawing = currentTarget.closest(".panel")?.querySelector<SVGSVGElement>("svg");
          if (drawing) void pictureOf(drawing).then((picture) => picture && saveFile(picture, `${file}.png`));
        }}
      >
        PNG
      </Button>
      <Button kind="small" aria-label={`${file} as CSV`} onClick={() => saveFile(csv(), `${file}.csv`)}>
        CSV
      </Button>
    </span>
  );
}

/** Pixels per CSS pixel, for slides and prints. */
const density = 2;

/** Draws a chart in the page's colours; null if the browser cannot. */
async function pictureOf(drawing: SVGSVGElement): Promise<Blob | null> {
  const { width, height } = drawing.getBoundingClientRect();
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  copy.dataset["theme"] = document.documentElement.dataset["theme"] ?? "light";
  const style = document.createElementNS("http://www.w3.org/2000/svg", "style");
  style.textContent = `${designStyle(':root[data-theme="dark"]')}:root{background:var(--panel);font-family:sans-serif}`;
  copy.prepend(style);
  const image = new Image(width * density, height * density);
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width, image.height];
  canvas.getContext("2d")?.drawImage(image, 0, 0, image.width, image.height);
  return new Promise((resolve) => canvas.toBlob(resolve));
}

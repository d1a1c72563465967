/** Opens a snapshot in a process: `tsx open-in-child.ts OPTIONS` (JSON). Prints received bytes, then the snapshot. */
import { writeSync } from "node:fs";
import { openSnapshot, type SnapshotOptions } from "@laconic/hub";

const options = JSON.parse(process.argv[2] ?? "") as SnapshotOptions;
const snapshot = await openSnapshot({ ...options, onProgress: ({ bytes }) => writeSync(1, `${bytes}\n`) });
writeSync(1, `${JSON.stringify(snapshot)}\n`);

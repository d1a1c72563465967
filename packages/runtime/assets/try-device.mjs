// Starts one device, or measures it, and tells the parent what came of it: a native library that crashes takes only this process along.
const fromSource = import.meta.resolve("@laconic/core").endsWith(".ts");
if (fromSource) (await import("tsx/esm/api")).register();
const load = (name) => import(fromSource ? `../src/devices/${name}.ts` : `../dist/devices/${name}.js`);
const source = JSON.parse(process.argv[2]);
const outcome =
  process.argv[3] === "measure"
    ? await (await load("try-device")).measureDevice(source)
    : await (await load("try-device")).tryDevice(source);
// Not left to the libraries' own ends, which may hang or crash.
process.send(outcome, () => process.exit(0));

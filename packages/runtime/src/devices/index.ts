/**
 * Devices by name: listed, tried and chosen.
 * @module @laconic/runtime/devices
 */
export { chooseDevice, devicesFolder, expectGpus, probeDevice, probeDevices } from "./devices.ts";
export type { DeviceReport } from "./devices.ts";
export { gpusHere } from "./list-gpus.ts";

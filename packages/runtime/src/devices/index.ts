/**
 * Lists, tests, chooses and installs devices.
 * @module @laconic/runtime/devices
 */
export { assumedSpeed, cardNames, cards } from "./cards.ts";
export type { AssumedSpeed, CardName } from "./cards.ts";
export { automaticDevice, chooseDevice, expectGpus, gpusHere, probeDevice, probeDevices } from "./choose-device.ts";
export type { DeviceReport } from "./choose-device.ts";
export { installDevice, runCommand } from "./install-device.ts";
export type { InstallOptions, OptionalDevice, Outcome, RunCommand } from "./install-device.ts";
export { devicesFolder } from "./known-devices.ts";

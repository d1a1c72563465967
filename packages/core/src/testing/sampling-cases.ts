import { LaconicError } from "../errors.ts";
import { samplingNames, samplingParameters, type Sampling, type SamplingName } from "../sampling.ts";
import { expectThat } from "./conformance.ts";

/** Sampling in which one parameter has an effect, for each parameter. */
export function actingSampling(): readonly (readonly [name: SamplingName, sampling: Sampling])[] {
  return samplingNames.map((name) => {
    const { integer, min = 0, max = 1 } = samplingParameters[name].shape;
    return [name, { temperature: 1, [name]: integer ? min + 2 : (min + max) / 2 }];
  });
}

/** Expects an error that names the parameter. */
export function expectRefusedSampling(error: unknown, name: SamplingName): void {
  const isRefusal = LaconicError.is(error) && (error.code === "config_invalid" || error.code === "input_invalid");
  expectThat(isRefusal, `${name} to be refused, got ${String(error)}`);
  expectThat(error.detail["key"] === name, `${name} to be the key of "${String(error)}"`);
}

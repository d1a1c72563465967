import { LaconicError } from "@laconic/core";

/** Does work, and says of a value of the user's own that breaks where in the run that was. @param place - as `step 3` */
export async function placed<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!LaconicError.is(error) || error.detail["value"] === undefined || error.detail["place"] !== undefined)
      throw error;
    throw new LaconicError(error.code, `${place}: ${error.message}`, { ...error.detail, place }, error);
  }
}

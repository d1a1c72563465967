const total = { passed: 0, failed: 0 };

/** Counts and prints a check, with its problems. @returns {boolean} whether it passed */
export function tell(what, problems = []) {
  const passes = problems.length === 0;
  total[passes ? "passed" : "failed"] += 1;
  console.log(`${passes ? "ok  " : "FAIL"} ${what}`);
  for (const problem of problems) console.log(problem);
  return passes;
}

export function endChecks() {
  console.log(`${total.passed} passed, ${total.failed} failed, 0 skipped`);
  process.exitCode = total.failed === 0 ? 0 : 1;
}

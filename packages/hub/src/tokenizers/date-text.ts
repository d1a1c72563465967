import { unsupported } from "./jinja/errors.ts";

/** Python's `datetime.strftime` in local time and in English. */
export function dateText(date: Date, format: string): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const name = (options: Intl.DateTimeFormatOptions): string => date.toLocaleDateString("en-US", options);
  const [year, month, day, hours] = [date.getFullYear(), date.getMonth(), date.getDate(), date.getHours()];
  const yearDay = Math.round((Date.UTC(year, month, day) - Date.UTC(year, 0, 0)) / 86_400_000);
  const texts: Readonly<Record<string, string>> = {
    a: name({ weekday: "short" }),
    A: name({ weekday: "long" }),
    b: name({ month: "short" }),
    B: name({ month: "long" }),
    d: two(day),
    "-d": String(day),
    F: `${year}-${two(month + 1)}-${two(day)}`,
    H: two(hours),
    I: two(((hours + 11) % 12) + 1),
    j: String(yearDay).padStart(3, "0"),
    m: two(month + 1),
    "-m": String(month + 1),
    M: two(date.getMinutes()),
    p: hours < 12 ? "AM" : "PM",
    S: two(date.getSeconds()),
    T: `${two(hours)}:${two(date.getMinutes())}:${two(date.getSeconds())}`,
    y: two(year % 100),
    Y: String(year),
    "%": "%",
  };
  return format.replaceAll(/%(-?[\s\S]?)/g, (directive: string, letter: string) => {
    const text = texts[letter];
    if (text === undefined) throw unsupported(`the date format ${directive}`);
    return text;
  });
}

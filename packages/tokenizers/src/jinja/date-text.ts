import { unsupported } from "./errors.ts";

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** Python's `datetime.strftime` in local time and in English. */
export function dateText(date: Date, format: string): string {
  const two = (value: number): string => String(value).padStart(2, "0");
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()];
  const [hours, minutes, seconds] = [date.getHours(), two(date.getMinutes()), two(date.getSeconds())];
  const yearDay = Math.round((Date.UTC(year, month, day) - Date.UTC(year, 0, 1)) / 86_400_000);
  const clockHour = hours % 12 === 0 ? 12 : hours % 12;
  const [weekday, monthName] = [days[date.getDay()] as string, months[month] as string];
  const texts: Readonly<Record<string, string>> = {
    a: weekday.slice(0, 3),
    A: weekday,
    b: monthName.slice(0, 3),
    B: monthName,
    d: two(day),
    D: `${two(month + 1)}/${two(day)}/${two(year % 100)}`,
    e: String(day).padStart(2),
    f: String(date.getMilliseconds() * 1000).padStart(6, "0"),
    F: `${year}-${two(month + 1)}-${two(day)}`,
    H: two(hours),
    I: two(clockHour),
    j: String(yearDay + 1).padStart(3, "0"),
    m: two(month + 1),
    M: minutes,
    n: "\n",
    p: hours < 12 ? "AM" : "PM",
    S: seconds,
    t: "\t",
    T: `${two(hours)}:${minutes}:${seconds}`,
    u: String(date.getDay() === 0 ? 7 : date.getDay()),
    w: String(date.getDay()),
    y: two(year % 100),
    Y: String(year),
    z: "",
    Z: "",
    "-d": String(day),
    "-m": String(month + 1),
    "-H": String(hours),
    "-I": String(clockHour),
    "%": "%",
  };
  return format.replaceAll(/%(-?[\s\S]?)/g, (whole: string, directive: string) => {
    const text = texts[directive];
    if (text === undefined) throw unsupported(`the date format ${whole}`);
    return text;
  });
}

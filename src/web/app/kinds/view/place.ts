const PLACE = /^((?:source\.)*)([a-z_]\w*(?:\.\w+)*): ([\s\S]+)$/i;

/** What an error is about: its place in the form, in words ("Series B, math"), and what is wrong. */
export interface Placed {
  place: string | null;
  text: string;
}

/** Reads the place that messages about a node begin with (docs/queries.md). */
export function placeOf(message: string, attr: string | null): Placed {
  const match = PLACE.exec(message);
  if (match !== null && /[.]|^[a-z]+[A-Z]|^(series|properties|interval)$/.test(match[2]!)) {
    return { place: inWords(match[2]!), text: match[3]! };
  }
  return { place: attr === null || attr === "" ? null : inWords(attr), text: message };
}

function inWords(path: string): string {
  const parts = path.split(".");
  const words: string[] = [];
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index]!;
    const next = Number(parts[index + 1]);
    if (Number.isInteger(next) && parts[index + 1] !== undefined) {
      words.push(`${plain(part)} ${part === "series" ? letterOf(next) : next + 1}`);
      index++;
    } else words.push(plain(part));
  }
  const text = words.join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const letterOf = (index: number): string => (index < 26 ? String.fromCharCode(65 + index) : String(index + 1));

/** "dateRange" as "date range". */
const plain = (name: string): string =>
  name.replaceAll("_", " ").replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`);

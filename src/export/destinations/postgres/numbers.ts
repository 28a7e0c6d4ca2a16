/** Texts, which may hold digits, and numbers of a JSON text. */
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Digits that PostgreSQL's `numeric`, which `jsonb` has for numbers, holds before and behind the point. */
const WHOLE_MAX = 131_072;
const FRACTION_MAX = 16_383;

/** The JSON text with each number that `jsonb` does not hold as a text of what was written. */
export function withHeldNumbers(json: string): string {
  return json.replace(TEXT_OR_NUMBER, (token) => (token.startsWith('"') || isHeld(token) ? token : `"${token}"`));
}

function isHeld(number: string): boolean {
  const [, whole = "", fraction = "", exponent = "0"] = NUMBER.exec(number) ?? [];
  return whole.length + Number(exponent) <= WHOLE_MAX && fraction.length - Number(exponent) <= FRACTION_MAX;
}

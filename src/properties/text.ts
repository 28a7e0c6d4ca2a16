const NUL = "\0";
const REPLACEMENT = "\ufffd";

/** NUL and lone surrogates, which stores refuse, become U+FFFD. */
export function cleanText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes(NUL) ? whole.replaceAll(NUL, REPLACEMENT) : whole;
}

/** At most `max` characters (code points). */
export function cutCharacters(text: string, max: number): string {
  if (text.length <= max) return text;
  let end = 0;
  for (let i = 0; i < max && end < text.length; i++) end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  return text.slice(0, end);
}

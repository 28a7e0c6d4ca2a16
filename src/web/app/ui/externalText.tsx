/** A text that strangers sent; where it is the address of a page, as a link to it. */
export function ExternalText({ text }: { text: string }) {
  if (!isAddress(text)) return <>{text}</>;
  return (
    <a href={text} target="_blank" rel="noopener noreferrer">
      {text}
    </a>
  );
}

/** Only http and https become links. */
function isAddress(text: string): boolean {
  if (!/^https?:\/\//i.test(text)) return false;
  const { protocol } = URL.parse(text) ?? { protocol: "" };
  return protocol === "http:" || protocol === "https:";
}

/** The type of a body in lower case, without its parameters; "" when the request does not say. */
export function mediaType(contentType: string | null): string {
  const [type = ""] = (contentType ?? "").split(";", 1);
  return type.trim().toLowerCase();
}

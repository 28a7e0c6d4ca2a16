/**
 * What others see of an address than those who may change it: scheme and host. What comes behind is often all that keeps somebody from
 * sending there, too.
 */
export const withoutPath = (url: string): string => new URL(url).origin;

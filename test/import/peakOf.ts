/**
 * Runs a command as it is given, and writes the most memory that it had, in bytes, to the file that is named first. A process begins
 * with the peak of the one that starts it: this one is small, whatever a process of tests has grown to.
 */
const [file, ...command] = process.argv.slice(2);
const child = Bun.spawn(command, { stdio: ["ignore", "inherit", "inherit"] });
const code = await child.exited;
await Bun.write(file!, String(child.resourceUsage()!.maxRSS));
process.exit(code);

export {};

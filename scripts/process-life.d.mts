export function lifeOf(pid: number): string | undefined;
export function ps(pid: number, column: string): string | undefined;

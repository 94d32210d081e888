// Writes times and instances in one way.

const HUES = 4;

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

export function seconds(millis) {
	return `${(millis / 1000).toFixed(1)} s`;
}

export function time(text) {
	return clock.format(new Date(text));
}

/** Sets the text of an element only if it differs, so that selections and screen readers are left alone. */
export function write(element, text) {
	if (element.textContent !== text) {
		element.textContent = text;
	}
}

/** Shows the name of an instance, in the colour that it has on every page. */
export function showInstance(element, name) {
	write(element, name);
	element.classList.add('instance');
	element.dataset.hue = hue(name);
}

export function hue(name) {
	return [...name].reduce((sum, character) => sum + character.codePointAt(0), 0) % HUES;
}

export function create(name, parent, className) {
	const element = document.createElement(name);
	if (className) {
		element.className = className;
	}
	parent.append(element);
	return element;
}

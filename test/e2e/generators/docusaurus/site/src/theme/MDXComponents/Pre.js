import { createElement } from 'react';

// Code is displayed without colours on this site.
export default (props) => createElement('pre', props);

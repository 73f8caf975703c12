/* libinih as Swift sees it. */
#ifndef ANICCA_CINIH_H
#define ANICCA_CINIH_H

#include <ini.h>

#endif

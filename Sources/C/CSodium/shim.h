#ifndef ANICCA_CSODIUM_SHIM_H
#define ANICCA_CSODIUM_SHIM_H

#include <sodium.h>

#endif
